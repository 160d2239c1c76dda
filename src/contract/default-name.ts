// A separate module, because the lazily loaded picture overlay imports it. Merged with another module, it
// would move that module's code into a further chunk.

/** The name of every member of a class until they choose one. */
export const defaultName = 'Anonymous';
