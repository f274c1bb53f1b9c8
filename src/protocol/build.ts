/**
 * What a build of an app can speak, read and write, and whether a tab of one build may be served by a writer of another.
 *
 *   the tab is newer    → it waits: its own worker asks the writer for the place
 *   the tab is outdated → it stops: the database has moved on to what its build may not touch
 *   else                → it is served
 */
export interface Build {
  /** What its two halves speak. */
  readonly protocol: number;
  /** How many migrations it knows, the library's and the app's own. */
  readonly schema: SchemaVersions;
  /** The app's own number, `defineWorker({ version })`. */
  readonly version: number;
}

export interface SchemaVersions {
  readonly tidelock: number;
  readonly app: number;
}

/** A writer's build, and the oldest schema a build may know and still use the database as it is now. */
export interface WriterBuild extends Build {
  readonly safeFrom: SchemaVersions;
}

export type BuildVerdict = 'served' | 'newer' | 'outdated';

/** Below zero where `a` is the older. What two halves speak counts first, the app's own number last. */
export function compareBuilds(a: Build, b: Build): number {
  return (
    a.protocol - b.protocol ||
    a.schema.tidelock - b.schema.tidelock ||
    a.schema.app - b.schema.app ||
    a.version - b.version
  );
}

export function judgeBuild(tab: Build, writer: WriterBuild): BuildVerdict {
  if (tab.protocol !== writer.protocol) return tab.protocol > writer.protocol ? 'newer' : 'outdated';
  const { schema } = tab;
  if (schema.tidelock < writer.safeFrom.tidelock || schema.app < writer.safeFrom.app) return 'outdated';
  return compareBuilds(tab, writer) > 0 ? 'newer' : 'served';
}
