/** A green picture of two by two pixels, PNG, base64. */
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR42mOo35ENRAwQCgAuFgaJ810UTgAAAABJRU5ErkJggg==";
