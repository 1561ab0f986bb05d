//! Stop words: those that every text of a language is full of. Written without accents, as words are.
//!
//! A word that a question may turn on is none of them: `before` and `without` make a difference, and `may` is also a month.

use std::sync::LazyLock;

use hashbrown::HashMap;

/// The languages in which it is a stop word, a bit for each in the order of `Language::ALL`.
pub fn languages(word: &str) -> u8 {
    static MASKS: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
        let mut masks = HashMap::new();
        for (index, words) in [ENGLISH, GERMAN, FRENCH, SPANISH, DUTCH].into_iter().enumerate() {
            for word in words.split_ascii_whitespace() {
                *masks.entry(word).or_default() |= 1 << index;
            }
        }
        masks
    });
    MASKS.get(word).copied().unwrap_or_default()
}

const ENGLISH: &str = "
a an the this that these those
i me my we us our you your he him his she her it its they them their
am is are was were be been being have has had do does did will would can could
and or but so if then than as of at by for with about into to from in on
what when where which who how why
s t re ll ve d m don doesn didn isn aren wasn weren haven hasn hadn wouldn couldn
";

const GERMAN: &str = "
der die das den dem des ein eine einer eines einem einen
ich mich mir du dich dir er ihn ihm sie ihr ihnen es wir uns euch man sich
mein meine meiner meinem meinen dein deine sein seine seiner seinem seinen ihre ihrer ihrem ihren unser unsere unserer unseren
dieser diese dieses diesem diesen
bin bist ist sind seid war waren habe hast hat haben habt hatte hatten werde wirst wird werden wurde wurden
kann konnen konnte soll sollen sollte will
und oder aber denn dass wenn als wie ob so da
in im an am auf aus bei beim mit nach von vom zu zum zur fur um
wer wen wem was wann wo warum welcher welche welches welchem welchen
";

const FRENCH: &str = "
le la les l un une des du de d au aux ce cet cette ces c ca cela
je j me m moi tu te t toi il elle on nous vous ils elles se s lui leur leurs y en
mon ma mes ton ta tes son sa ses notre nos votre vos
suis es est sommes etes sont etait etaient ete sera seront ai as a avons avez ont avait avaient
et ou mais donc que qu qui quoi dont quand comme si
dans sur avec pour par
ne n pas
pourquoi comment quel quelle quels quelles
";

const SPANISH: &str = "
el la los las lo un una unos unas al del
yo me mi mis tu te ti tus se si su sus nos nosotros nuestro nuestra nuestros nuestras ellos ellas ella le les
este esta estos estas ese esa esos esas eso esto
soy eres es somos son era eran fue fueron ser sera seran esta estan estaba estaban
he has ha hemos han habia hay
y e o u pero que cuando como donde quien quienes cual cuales
de en a por para con
";

const DUTCH: &str = "
de het een der des den dit dat deze die
ik mij me mijn je jij jou jouw u uw hij hem zijn zij ze haar hun wij we ons onze jullie zich er
ben bent is was waren heb hebt heeft hebben had hadden word wordt worden werd werden
kan kunnen kon zal zullen zou zouden
en of maar want dus als
in op aan uit bij met van voor om tot naar te
wie wat wanneer waar waarom hoe welk welke
";
