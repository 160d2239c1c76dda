import { Link, useLocation } from 'react-router';
import { site } from '#web/site.ts';
import { AuthPage } from './auth-page.tsx';
import { SignUpForm } from './sign-up-form.tsx';

export function SignUpScreen() {
  const location = useLocation();
  return (
    <AuthPage
      title={`Join ${site.appName}`}
      lead="Your university email shows that you study here. No classmate will ever see it, or your name."
      foot={
        <>
          <Link to="/signin" state={location.state}>
            Sign in instead
          </Link>
          <Link to="/privacy">Who can see what</Link>
        </>
      }
    >
      <SignUpForm />
    </AuthPage>
  );
}
