/** The name of every member of a class until they choose one. */
export const defaultName = 'Anonymous';
