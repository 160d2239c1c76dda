/** The path prefix of all pictures. Only members of a picture's class can load it. */
export const imagesPath = '/images/'; // SEND-18
