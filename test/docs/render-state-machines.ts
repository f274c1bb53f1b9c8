import { TRANSFER_PHASES } from '../../src/domain/coordinator-vocabulary';
import { LIBRARY_CODES, ROW_CODES, STORE_CODES } from '../../src/domain/error-codes';
import { PERMIT_MACHINE, type PermitEdge } from '../../src/domain/permit-machine';
import {
  APPLYING_CLASSES,
  MUTATION_CLASSES,
  NON_APPLYING_CLASSES,
  OPERATION_CLASSES,
  PERMIT_STATES,
  TERMINAL_PERMIT_STATES,
  type OperationClass,
} from '../../src/domain/permit-vocabulary';
import { TRANSFER_MACHINE, TRANSFERS, type TransferEdge } from '../../src/domain/transfer-machine';
import { toCode, toDiagram, toTable } from './markdown';
import { readCodeDocs } from './read-code-docs';

/** The page on both state machines and every code, from the tables themselves and the comments on the codes. */
export function renderStateMachines(errorCodesSource: string): string {
  return `# State machines and codes

Written by \`npm run docs\` from [permit-machine.ts](permit-machine.ts), [transfer-machine.ts](transfer-machine.ts) and [error-codes.ts](error-codes.ts); a test fails when it is stale. Change those, not this.

## An execution permit

${renderPermitDiagram()}

An edge is open to the classes and from the dispositions of its row only; everything else is refused with \`PERMIT_STATE_CONFLICT\`. *Leaves* is what is known of the request afterwards, where the edge changes it: the first where the caller names none. A permit that becomes \`abandoned-reconcile-required\` leaves a recovery obligation, unless an equal one is open for an apply that failed before.

${renderPermitTable()}

The classes:

${renderClassTable()}

## An ownership transfer

${renderTransferDiagram()}

${renderTransferTable()}

${renderTransfers()}

## Codes that the stores throw

${renderCodes(errorCodesSource, 'STORE_CODES', STORE_CODES)}

## Codes that are written to rows

${renderCodes(errorCodesSource, 'ROW_CODES', ROW_CODES)}

## Codes of the library

${renderCodes(errorCodesSource, 'LIBRARY_CODES', LIBRARY_CODES)}
`;
}

function listPermitEdges(): readonly (readonly [from: string, edge: PermitEdge])[] {
  return PERMIT_STATES.flatMap((from) => {
    const edges: readonly PermitEdge[] = PERMIT_MACHINE[from];
    return edges.map((edge) => [from, edge] as const);
  });
}

function renderPermitDiagram(): string {
  const edges = listPermitEdges().map(([from, { to, by }]) => ({ from, to, label: by.join(', ') }));
  return toDiagram({ states: PERMIT_STATES, start: 'issued-idle', ends: TERMINAL_PERMIT_STATES, edges });
}

function renderPermitTable(): string {
  const rows = listPermitEdges().map(([from, { to, by, classes, from: dispositions, leaves }]) => [
    toCode([from]),
    toCode([to]),
    toCode(by),
    describeClasses(classes),
    toCode(dispositions),
    leaves === undefined ? '' : toCode(leaves),
  ]);
  return toTable(['from', 'to', 'by', 'classes', 'dispositions', 'leaves'], rows);
}

function describeClasses(classes: readonly OperationClass[]): string {
  const missing = OPERATION_CLASSES.filter((operationClass) => !classes.includes(operationClass));
  if (missing.length === 0) return 'every class';
  return missing.length === 1 ? `all but ${toCode(missing)}` : toCode(classes);
}

function renderClassTable(): string {
  const isIn = (set: readonly OperationClass[], operationClass: OperationClass): string =>
    set.includes(operationClass) ? 'yes' : '';
  const rows = OPERATION_CLASSES.map((operationClass) => [
    toCode([operationClass]),
    isIn(APPLYING_CLASSES, operationClass),
    isIn(NON_APPLYING_CLASSES, operationClass),
    isIn(MUTATION_CLASSES, operationClass),
  ]);
  return toTable(['class', 'applied in groups', 'only acknowledged', 'mutation, needs an identity'], rows);
}

function listTransferEdges(): readonly (readonly [from: string, edge: TransferEdge])[] {
  return TRANSFER_PHASES.flatMap((from) => {
    const edges: readonly TransferEdge[] = TRANSFER_MACHINE[from];
    return edges.map((edge) => [from, edge] as const);
  });
}

function renderTransferDiagram(): string {
  const edges = listTransferEdges().map(([from, { to, by, targets }]) => ({
    from,
    to,
    label: targets.length === 1 ? `${by}, to ${targets.join()}` : by,
  }));
  return toDiagram({ states: TRANSFER_PHASES, start: 'preparing', ends: ['committing'], edges });
}

function renderTransferTable(): string {
  const rows = listTransferEdges().map(([from, { to, by, targets }]) => [
    toCode([from]),
    toCode([to]),
    toCode([by]),
    toCode(targets),
  ]);
  return toTable(['from', 'to', 'by', 'towards'], rows);
}

function renderTransfers(): string {
  const rows = Object.entries(TRANSFERS).map(([target, { sourceMode, ownershipMode }]) => [
    toCode([target]),
    toCode([sourceMode]),
    toCode([ownershipMode]),
  ]);
  return toTable(['towards', 'from', 'ownership mode meanwhile'], rows);
}

function renderCodes(source: string, constant: string, codes: Readonly<Record<string, string>>): string {
  const docs = readCodeDocs(source, constant);
  const rows = Object.entries(codes).map(([name, code]) => {
    const doc = docs.get(name);
    if (doc === undefined) throw new Error(`${constant}.${name} is not in error-codes.ts`);
    return [toCode([code]), doc.when, doc.advice];
  });
  return toTable(['code', 'when', 'what to do'], rows);
}
