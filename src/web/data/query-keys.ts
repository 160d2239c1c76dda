// The keys of the queries that the app keeps on this device, and of those that several features share.
export const meKey = ['me'];
export const classesKey = ['classes'];
export const themeKey = ['theme'];
export const ownSanctionsKey = ['own-sanctions'];
