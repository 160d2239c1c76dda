// Calls of a session that change something, each at a moment in which it reaches its commit.
import { beforeAll } from 'vitest';
import { routes, type RouteName } from '#contract/routes.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { callNames, calls } from './calls.ts';
import type { RightHolder, Scene } from './facts.ts';
import { prepareCall } from './make-call.ts';
import { findRightHolders, needsSession } from './outcomes.ts';
import { addRole, createCourseName, createScene } from './scene.ts';

/** The settings with which the calls reach their commits. */
export const lateCallSettings = {
  UNMASKING: 'on',
  CLASS_CREATION: 'operators',
  PUSH_HOSTS: 'http://127.0.0.1:9',
};

export const lateCallNames = callNames.filter(
  (name) => needsSession(name) && routes[name].method !== 'GET' && !calls[name].changesNothing,
);

/** Lists the holders of a right to the call that a stranger does not have. */
export const listRightHolders = (name: RouteName): RightHolder[] => [
  ...findRightHolders(name),
  ...(calls[name].furtherHolders ?? []),
];

/** Call it outside of tests, for an app with these settings. */
export function setUpLateCalls(app: RunningApp) {
  let otto: TestClient;
  let scene: Scene;
  beforeAll(async () => {
    otto = await app.createStudent('otto');
    await addRole(app, otto, 'operator');
  });

  return {
    /** Creates another class with a case. */
    async setScene(): Promise<Scene> {
      const ada = await app.createStudent();
      const ben = await app.createStudent();
      scene = await createScene({
        app,
        courseName: createCourseName(),
        creator: otto,
        ada,
        ben,
        otto,
      });
      return scene;
    },
    /** @returns a function that makes the call in the scene */
    prepare: (name: RouteName, caller: TestClient, right: RightHolder | null) =>
      prepareCall(name, { ...scene, caller, right }),
  };
}
