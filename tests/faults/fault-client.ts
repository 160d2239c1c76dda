// An account of the school under test with its cookie, so that it can open any number of sockets.
import { createStudent, type Student } from '../../scripts/student.ts';

export interface FaultClient {
  readonly name: string;
  readonly student: Student;
  cookie(): string;
}

const password = 'correct horse battery';

export async function signUpClient(origin: string, name: string): Promise<FaultClient> {
  const cookies = new Map<string, string>();
  const student = createStudent(origin, `${name}@university.edu`, password, {
    userAgent: 'pupil',
    async onAnswer(response) {
      for (const cookie of response.headers.getSetCookie()) {
        const [, key, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (key && value) cookies.set(key, value);
      }
    },
  });
  await student.call('signUp', { body: { email: student.email, password } });
  return {
    name,
    student,
    cookie: () => [...cookies].map(([key, value]) => `${key}=${value}`).join('; '),
  };
}
