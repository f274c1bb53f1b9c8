import {
  APPLYING_CLASSES,
  MUTATION_CLASSES,
  type OperationClass,
  type RequiredAction,
} from './permit-vocabulary';

const applying: readonly OperationClass[] = APPLYING_CLASSES;
const mutations: readonly OperationClass[] = MUTATION_CLASSES;

export function isApplying(operationClass: OperationClass): boolean {
  return applying.includes(operationClass);
}

export function isMutation(operationClass: OperationClass): boolean {
  return mutations.includes(operationClass);
}

/** What an unsettled operation asks for: a mutation that can be named is replayed, anything else is fetched again. */
export function toRequiredAction(
  operationClass: OperationClass,
  operationIdentity: string | null,
): RequiredAction {
  return isMutation(operationClass) && operationIdentity !== null
    ? 'replay-operation-then-reconcile'
    : 'refetch-from-committed-cursor';
}
