// systemd's own checks of the unit. image.test.ts compares it with what a server does.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';
import { unitFile, listUnitValues } from './system-calls.ts';

function analyze(...args: string[]) {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

test('systemd accepts the unit without a warning [DEPLOY-2]', () => {
  const { status, output } = analyze('verify', unitFile);
  // This machine may have its Node.js elsewhere.
  const warnings = output.split('\n').filter((line) => !/Command node is not exec/.test(line));

  expect(warnings.join('\n').trim()).toBe('');
  if (output === '') expect(status).toBe(0);
});

test('systemd rates the exposure of the unit as OK, under 2 of 10 [DEPLOY-2]', () => {
  const { status, output } = analyze(
    ...['security', '--offline=true', '--no-pager', '--threshold=20', unitFile],
  );

  expect(output).toContain('Overall exposure level');
  expect(status, output).toBe(0);
});

test('the unit bounds the memory and the processes of the server [DEPLOY-6]', () => {
  const values = ['MemoryMax', 'TasksMax', 'LimitCORE'].map((setting) => listUnitValues(setting));

  expect(values).toEqual([['80%'], ['512'], ['0']]);
});

test('the unit gets the key as a credential, and writes only to its data folder [DEPLOY-2, ADMIN-89]', () => {
  expect(listUnitValues('LoadCredential')).toEqual(['SECRET_KEY:/etc/backchannel.key']);
  expect(listUnitValues('StateDirectory')).toEqual(['backchannel']);
});

test('the unit, the image and npm start run the same command [DEPLOY-1, DEPLOY-2]', () => {
  const file = readFileSync(join(projectRoot, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(file) as { scripts: Record<string, string> };
  const command = scripts['start']!.replace(/^exec /, '');

  expect(listUnitValues('ExecStart')).toEqual([command]);

  const dockerfile = readFileSync(join(projectRoot, 'deploy/Dockerfile'), 'utf8');
  const inImage = /^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '';
  expect((JSON.parse(inImage) as string[]).join(' ')).toBe(command);
});
