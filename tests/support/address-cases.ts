// Addresses with every printable character, and whether a new account can have them.
const printable = Array.from({ length: 0x7e - 0x20 }, (_, n) => String.fromCharCode(0x21 + n));
/** One letter and one digit stand for all: `email-address.test.ts` has each of them. */
const characters = printable.filter(
  (character) => /[^a-z0-9]|[a0]/i.test(character) && character !== 'A',
);
const acceptedCharacters = "a0._-+'&=#~";
const acceptedFirstCharacters = 'a0_';

export interface AddressCase {
  email: string;
  isAccepted: boolean;
}

/** One address for each character, which has it in the middle, and one that begins with it. */
export function listAddressCases(name: string): AddressCase[] {
  return characters.flatMap((character, n) => [
    {
      email: `${name}${n}x${character}y@university.edu`,
      isAccepted: acceptedCharacters.includes(character),
    },
    {
      email: `${character}${name}${n}@university.edu`,
      isAccepted: acceptedFirstCharacters.includes(character),
    },
  ]);
}
