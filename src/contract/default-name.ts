/** What everybody is called in a class until they choose a name there. */
export const defaultName = 'Anonymous';
