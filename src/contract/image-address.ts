/** Below it are all pictures, for members of their class alone. */
export const imagesPath = '/images/'; // SEND-18
