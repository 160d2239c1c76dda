import { expect, test } from 'vitest';
import { deleteOfflineData } from './reachability.ts';

test('The announcements leave the device when the session ends [ADMIN-78]', async () => {
  localStorage.setItem('announcements', '{"":[]}');
  localStorage.setItem('settings', '{}');

  await deleteOfflineData();

  expect(Object.keys(localStorage)).toEqual(['settings']);
});
