import { Navigate, useParams } from 'react-router';
import { useCall } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { QueryState } from '#web/ui/query-state.tsx';
import { Screen } from '#web/ui/screen.tsx';

/** Opens the class whose letters stand on the screen of a hall. */
export function ShortLink() {
  const { letters = '' } = useParams();
  const found = useCall('findLetteredClass', { params: { classLetters: letters.toUpperCase() } });
  if (found.data) return <Navigate to={`/home/${found.data.classId}`} replace />;
  return (
    <Screen title={getText('lectures.shortLink.title')} width="form">
      <QueryState query={found} />
    </Screen>
  );
}
