/** What has to be typed before everything is deleted: the page asks for it, and the server wants it. */
export const CONFIRM_WORDS = "delete everything";
