// Runs before the runner of the far machine does: that machine has a clock of its own. None of it is in the product.
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { FAR_CLOCK_VARIABLE } from "../scene/seam-words.ts";

const path = z.string().parse(process.env[FAR_CLOCK_VARIABLE]);
const realNow = Date.now.bind(Date);
Date.now = () => realNow() + (existsSync(path) ? Number(readFileSync(path, "utf8")) : 0);
