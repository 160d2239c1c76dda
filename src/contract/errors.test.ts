import { expect, test } from 'vitest';
import { isTemporary } from './temporary-errors.ts';
import { type ErrorCode, errors } from './errors.ts';

test('only limits, maintenance, and failures of the server and of the provider for sign-on, are temporary [ERROR-3]', () => {
  const codes = Object.keys(errors) as ErrorCode[];
  const temporary = [
    'SIGN_ON_UNAVAILABLE',
    'SLOW_MODE',
    'PDF_BUSY',
    'PDF_TOO_MANY',
    'TOO_MANY_APPEALS',
    'TOO_MANY_REPORTS',
    'TOO_MANY',
    'UNAVAILABLE',
    'MAINTENANCE',
    'INTERNAL',
  ];
  const isLimitOrFailure = (code: ErrorCode) => [429, 500, 503].includes(errors[code].status);
  expect(codes.filter(isTemporary)).toEqual(temporary);
  expect(codes.filter(isLimitOrFailure)).toEqual(temporary);
});

test('every error has a readable sentence [ERROR-1]', () => {
  for (const { message } of Object.values(errors)) expect(message).toMatch(/^[A-Z{][^\n<>]{10,}$/);
});
