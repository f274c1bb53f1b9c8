/** tidelock in a tab. What an app imports beside its worker file; everything else in src is how it is done. */
export { connect, type ConnectOptions, type TideOf } from './client/connect';
export type { AppOf, AppShape, HandlerTypes } from './client/app-shape';
export type { CallOptions } from './client/call-options';
export { UpstreamRejected } from './client/gateway/upstream-rejected';
export type { PullAnswer, PullOptions, PullRequest, PullResult } from './client/gateway/pull';
export type {
  PushAnswer,
  PushedOperation,
  PushOperation,
  PushOperationAnswer,
  PushOptions,
  PushOutcome,
  PushRequest,
  PushResult,
} from './client/gateway/push';
export type { KnownDisposition, PushPermit } from './protocol/gateway-calls';
export type { WriterHolder } from './election/writer-holder';
export type { PermitsApi } from './client/permits-api';
export type { TideEvents, TideStatus } from './client/status';
export type { Tide } from './client/tide';
export type { CoordinatorState, RequestedBy } from './domain/coordinator-state';
export { ERROR_CODES, LIBRARY_CODES, ROW_CODES, STORE_CODES, type ErrorCode } from './domain/error-codes';
export type { Json, JsonObject } from './domain/json';
export type { Fence, Permit, PermitSummary } from './domain/permit';
export type { OperationClass, PermitState, UpstreamDisposition } from './domain/permit-vocabulary';
export type { Obligation } from './domain/recovery-obligation';
export { isTidelockError, TidelockError, type ErrorDetails } from './domain/tidelock-error';
export type { Build, SchemaVersions, WriterBuild } from './protocol/build';
export type { CallOutcome } from './protocol/call';
export type { StorageKind, WriterIdentity } from './protocol/discovery';
export type { WorkerStage } from './protocol/worker-port';
