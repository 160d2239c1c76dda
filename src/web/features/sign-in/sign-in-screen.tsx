import { Link, useLocation } from 'react-router';
import { site } from '#web/site.ts';
import { AuthPage } from './auth-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInScreen() {
  const location = useLocation();
  return (
    <AuthPage
      title={`Sign in to ${site.appName}`}
      lead="Talk with everyone in your class. Nobody will ever see your name."
      foot={
        <>
          <Link to="/signup" state={location.state}>
            Create an account
          </Link>
          <Link to="/privacy">Who can see what</Link>
        </>
      }
    >
      <SignInForm />
    </AuthPage>
  );
}
