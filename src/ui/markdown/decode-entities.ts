const CODE_POINT_MAX = 0x10ffff;
const REPLACEMENT = "\uFFFD";
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,31}));/g;

/** The named references that appear in prose; the other two thousand would cost more than the parser and stay text. */
const NAMED_SOURCE = `amp& lt< gt> quot" apos' nbsp\u00A0 colon: comma, period. semi; lpar( rpar) lsqb[ rsqb] lbrack[ rbrack] lcub{ rcub}
num# excl! quest? ast* lowbar_ grave\` vert| verbar| bsol\\ sol/ equals= plus+ dollar$ percnt% commat@ Hat^
iexcl¡ cent¢ pound£ curren¤ yen¥ sect§ uml¨ copy© ordfª laquo« not¬ shy\u00AD reg® macr¯ deg°
plusmn± sup1¹ sup2² sup3³ acute´ microµ para¶ middot· cedil¸ ordmº raquo» frac14¼ frac12½ frac34¾ iquest¿ times×
divide÷ szligß AgraveÀ AacuteÁ AcircÂ AtildeÃ AumlÄ AringÅ AEligÆ CcedilÇ EgraveÈ EacuteÉ EcircÊ EumlË IgraveÌ
IacuteÍ IcircÎ IumlÏ ETHÐ NtildeÑ OgraveÒ OacuteÓ OcircÔ OtildeÕ OumlÖ OslashØ UgraveÙ UacuteÚ UcircÛ UumlÜ YacuteÝ
THORNÞ agraveà aacuteá acircâ atildeã aumlä aringå aeligæ ccedilç egraveè eacuteé ecircê eumlë igraveì iacuteí
icircî iumlï ethð ntildeñ ograveò oacuteó ocircô otildeõ oumlö oslashø ugraveù uacuteú ucircû uumlü yacuteý thornþ
yumlÿ OEligŒ oeligœ ScaronŠ scaronš fnofƒ circˆ tilde˜ alphaα betaβ gammaγ deltaδ epsilonε thetaθ lambdaλ muμ piπ
rhoρ sigmaσ tauτ phiφ omegaω DeltaΔ SigmaΣ OmegaΩ ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200C zwj\u200D ndash–
mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ dagger† Dagger‡ bull• hellip… permil‰ prime′ Prime″ lsaquo‹ rsaquo›
euro€ trade™ larr← uarr↑ rarr→ darr↓ harr↔ crarr↵ lArr⇐ rArr⇒ hArr⇔ forall∀ part∂ exist∃ empty∅ isin∈ notin∉ sum∑
prod∏ minus− radic√ infin∞ and∧ or∨ cap∩ cup∪ int∫ there4∴ sim∼ cong≅ asymp≈ ne≠ equiv≡ le≤ ge≥ sub⊂ sup⊃ sube⊆
supe⊇ sdot⋅ check✓ cross✗ star☆ starf★`;

const NAMED: ReadonlyMap<string, string> = new Map(
  NAMED_SOURCE.split(/[ \n]/).flatMap((entry) => {
    const [, name, character] = /^([a-zA-Z]+\d*)(.)$/su.exec(entry) ?? [];
    return name !== undefined && character !== undefined ? [[name, character]] : [];
  }),
);

/** Resolves character references without an HTML parser, which Trusted Types would refuse. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (reference, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? reference;
    return fromCodePoint(decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number.parseInt(decimal, 10));
  });
}

function fromCodePoint(point: number): string {
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  return point === 0 || point > CODE_POINT_MAX || isSurrogate ? REPLACEMENT : String.fromCodePoint(point);
}
