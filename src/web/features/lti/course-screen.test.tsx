// The page of a course that was opened on a learning platform.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter, useLocation } from 'react-router';
import { expect, test, vi } from 'vitest';
import type { CallReply } from '#contract/http.ts';
import type { Class } from '#contract/entities.ts';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { CourseScreen } from './course-screen.tsx';

notifyManager.setNotifyFunction((notify) => act(notify));

const { root, container } = setUpRoot();

const linkedClass: Class = {
  classId: 'A'.repeat(16),
  name: null,
  courseName: 'Algorithms',
  subjectAbbreviation: 'CS',
  courseNumber: '146',
  sectionNumber: '1',
  semesterSeason: 'Fall',
  classSchedule: [],
  beginClassTime: null,
  endClassTime: null,
  memberCount: 3,
  ended: false,
};

type Course = NonNullable<CallReply<'readCourse'>['course']>;

const unlinked: Course = {
  courseId: 'B'.repeat(16),
  courseTitle: 'Algorithms',
  courseLabel: 'CS 146-02',
  isInstructor: false,
  isCopy: false,
  grantsStaff: false,
  linkedClass: null,
  picking: null,
  staffState: 'none',
};

/** Where the reader is. */
function Place() {
  const { pathname, state } = useLocation();
  return <output>{JSON.stringify({ pathname, state })}</output>;
}

async function render(course: Partial<Course> | null, classes: readonly Class[] = []) {
  const replies: Record<string, object> = {
    '/api/course': { course: course && { ...unlinked, ...course } },
    '/api/classes': { classes },
    '/api/proposals': { proposals: [] },
  };
  vi.stubGlobal('fetch', async (url: string) => Response.json(replies[url] ?? { account: null }));
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter initialEntries={['/course']}>
          <CourseScreen />
          <Place />
        </MemoryRouter>
      </QueryClientProvider>,
    ),
  );
}

const readPlace = () => container.querySelector('output')?.textContent;
const findButton = (name: string) =>
  [...container.querySelectorAll('button')].find(({ textContent }) => textContent === name);

test('a student comes to the class of the course [LTI-8]', async () => {
  await render({ linkedClass });

  await waitForRender(() => expect(readPlace()).toContain(`"/home/${linkedClass.classId}"`));
});

test('a student of a course without a class reads so [LTI-8]', async () => {
  await render({});

  await waitForRender(() =>
    expect(container.textContent).toContain('Your instructor has not linked this course yet.'),
  );
  expect(findButton('Create class')).toBeUndefined();
});

test('an instructor creates a class with name and code filled in [LTI-9]', async () => {
  await render({ isInstructor: true });
  await waitForRender(() => expect(findButton('Create class')).toBeDefined());

  await act(async () => findButton('Create class')?.click());

  expect(JSON.parse(readPlace() ?? '')).toEqual({
    pathname: '/create',
    state: {
      courseId: unlinked.courseId,
      course: {
        courseName: 'Algorithms',
        subjectAbbreviation: 'CS',
        courseNumber: '146',
        sectionNumber: '02',
      },
    },
  });
});

test('an instructor of a copied course reads that it must be linked again [LTI-12]', async () => {
  await render({ isInstructor: true, isCopy: true });

  await waitForRender(() => expect(container.textContent).toContain('Link it again.'));
});

test('an instructor whose class has ended links another one [LTI-9]', async () => {
  const ended = { ...linkedClass, ended: true };
  await render({ isInstructor: true, linkedClass: ended, staffState: 'staff' }, [ended]);

  await waitForRender(() => expect(container.textContent).toContain('Or link one of your classes'));
  expect(container.querySelector('option')).toBeNull();
});

test('without a course, the page says where to go, and offers no retry [LTI-8]', async () => {
  await render(null);

  await waitForRender(() => expect(container.textContent).toContain('Go to your course'));
  expect(container.querySelector('button')).toBeNull();
});

test('an instructor whose request was rejected reads so [LTI-10]', async () => {
  await render({ isInstructor: true, staffState: 'rejected' });

  await waitForRender(() => expect(container.textContent).toContain('was not confirmed'));
});
