import { SearchScreen } from '#web/features/class-search/search-screen.tsx';
import { JoinOffer } from './join-offer.tsx';

/** The class search, with the dialog that offers to join a class. */
export function SearchPage() {
  return (
    <SearchScreen renderOffer={(offer, handlers) => <JoinOffer offer={offer} {...handlers} />} />
  );
}
