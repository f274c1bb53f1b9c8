import { expect, test } from 'vitest';
import { CheckOrder } from './check-order';

const TIMES = { 'traces: long': 1_000, 'traces: short': 10, 'a.test.ts': 100, 'slow.test.ts': 5_000 };

function setup() {
  return new CheckOrder(TIMES, ['slow.test.ts']);
}

test('quick checks come first while nothing is known', () => {
  expect(setup().for('x.ts')).toEqual(['traces: short', 'a.test.ts', 'traces: long', 'slow.test.ts']);
});

test('what killed mutants of a file comes first for it, and earlier for others too', () => {
  const order = setup();
  for (let i = 0; i < 5; i++) order.learn('x.ts', 'a.test.ts: some test');
  expect(order.for('x.ts')[0]).toBe('a.test.ts');
  expect(order.for('y.ts')[0]).toBe('a.test.ts');
  order.learn('y.ts', 'traces: long: step 3');
  expect(order.for('y.ts')[0]).toBe('a.test.ts');
  expect(order.for('y.ts')[1]).toBe('traces: long');
  expect(order.for('x.ts').toSorted()).toEqual(Object.keys(TIMES).toSorted());
});

test('slow checks stay last, whatever they kill', () => {
  const order = setup();
  for (let i = 0; i < 99; i++) order.learn('x.ts', 'slow.test.ts: some test');
  expect(order.for('x.ts').at(-1)).toBe('slow.test.ts');
});

test('survivors and hangs teach nothing', () => {
  const order = setup();
  order.learn('x.ts', null);
  order.learn('x.ts', 'no end');
  expect(order.for('x.ts')).toEqual(setup().for('x.ts'));
});
