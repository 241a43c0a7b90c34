// Why captions are not taken: a whole sentence for whoever chose the file, with the line that is wrong.
export class CaptionsProblem extends Error {}
