import { z } from "zod/mini";

const ID_CHARS_MAX = 64;

export const PersonId = z.string().check(z.minLength(1), z.maxLength(ID_CHARS_MAX)).brand<"PersonId">();
export type PersonId = z.infer<typeof PersonId>;

/** Who did something, as facts keep it: the name is the one of that time. Absent while there is only the owner. */
export const PersonRef = z.object({ id: PersonId, name: z.string() });
export type PersonRef = z.infer<typeof PersonRef>;
