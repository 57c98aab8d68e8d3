use super::markup::Text;
use super::{SCRIPT, glossary, texts};

fn all() -> Vec<(String, Text)> {
    let page = texts::ALL.iter().map(|(name, text)| ((*name).to_owned(), *text));
    let charts = texts::OF_CHARTS.iter().map(|(name, text)| ((*name).to_owned(), *text));
    let glossary = glossary::all().map(|text| (text.en.to_owned(), text));
    page.chain(charts).chain(glossary).collect()
}

/// Whether a text is made of signs that both languages write alike.
fn is_a_name(text: &str) -> bool {
    text.contains("p50") || text.chars().next().is_some_and(char::is_uppercase)
}

#[test]
fn every_text_has_both_languages() {
    for (name, text) in all() {
        assert!(!text.en.trim().is_empty() && !text.zh.trim().is_empty(), "{name}");
        let chinese = text.zh.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter));
        assert!(chinese || is_a_name(text.zh), "{name}: no Chinese in {}", text.zh);
        let latin = text.en.chars().all(|letter| !('\u{4e00}'..='\u{9fff}').contains(&letter));
        assert!(latin, "{name}: Chinese in {}", text.en);
    }
}

#[test]
fn the_script_asks_for_texts_that_there_are() {
    let asked: Vec<&str> =
        SCRIPT.split("t(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(asked.len() > 10, "{asked:?}");
    for key in asked
        .into_iter()
        .filter(|key| key.chars().all(|letter| letter.is_lowercase() || letter == '_'))
    {
        // `element("p")`, `createElement("...")` and the like end in `t(` as well.
        let elsewhere = [format!("element(\"{key}\""), format!("Element(\"{key}\"")];
        let known = texts::OF_CHARTS.iter().any(|(name, _)| *name == key);
        assert!(known || elsewhere.iter().any(|call| SCRIPT.contains(call)), "{key}");
    }
}

#[test]
fn every_text_of_charts_is_asked_for() {
    for (key, _) in texts::OF_CHARTS {
        assert!(SCRIPT.contains(&format!("\"{key}\"")), "{key}");
    }
}
