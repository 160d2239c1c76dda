// The keys of the queries that the app keeps on this device.
export const meKey = ['me'];
export const classesKey = ['classes'];
export const themeKey = ['theme'];
