/**
 * Chooses what is behind the transparent parts of a picture: the opposite of its ink. `base.css` has the colors.
 *
 * @param placeholder the ThumbHash of the picture, whose header has its average color and opacity
 */
export function choosePictureGround(placeholder: string): 'light' | 'dark' {
  const bytes = Uint8Array.from(atob(placeholder), (character) => character.charCodeAt(0));
  const [luminance = 0, , alphaFlag = 0, , , alpha = 0] = bytes;
  const isTransparent = (alphaFlag & 0x80) !== 0;
  const isLight = (luminance & 0x3f) > 0.6 * 0x3f;
  // A screenshot with a transparent shadow is mostly opaque.
  const isMostlyTransparent = (alpha & 0x0f) < 0x08;
  return isTransparent && isLight && isMostlyTransparent ? 'dark' : 'light';
}
