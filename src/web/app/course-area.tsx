import '#web/app/factor-confirmation.ts';
import { CourseScreen } from '#web/features/lti/course-screen.tsx';

export function CourseArea() {
  return <CourseScreen />;
}
