import { expect, test } from 'vitest';
import { connect, type ConnectOptions } from '../../src/client/connect';

const worker = (): Worker => {
  throw new Error('never made');
};

test.each([
  ['nothing', undefined, ''],
  ['null', null, ''],
  ['a name that is no text', { name: Object.create(null) as string, worker }, 'name'],
  ['a name with a slash', { name: 'a/memory', worker }, 'name'],
  ['no factory', { name: 'a' }, 'worker'],
  ['a storage that is none', { name: 'a', worker, storage: 'disk' }, 'storage'],
  ['a loss that is no id', { name: 'a', worker, acceptLossOf: true }, 'acceptLossOf'],
  ['a signal that is none', { name: 'a', worker, signal: {} }, 'signal'],
])('connect with %s is INVALID_INPUT', async (_name, options, path) => {
  await expect(connect(options as ConnectOptions)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    details: { path },
  });
});
