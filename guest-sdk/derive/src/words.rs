//! Rust's words in the platform's spelling: names in kebab-case, doc comments as descriptions.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use crate::problems::Problems;

/// A streamlet's name from its type's: a hyphen before each word, where a run of capitals is one word and digits belong
/// to the word they follow.
pub(crate) fn streamlet_name(type_name: &Ident) -> String {
    let letters: Vec<char> = type_name.unraw().to_string().chars().collect();
    let mut name = String::new();
    for (position, &letter) in letters.iter().enumerate() {
        let before = position.checked_sub(1).and_then(|previous| letters.get(previous));
        let after = letters.get(position + 1);
        let follows_word = before.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit());
        let ends_capitals = before.is_some_and(|c| c.is_uppercase()) && after.is_some_and(|c| c.is_lowercase());
        if letter.is_uppercase() && (follows_word || ends_capitals) {
            name.push('-');
        }
        match letter {
            '_' => name.push('-'),
            _ => name.extend(letter.to_lowercase()),
        }
    }
    name
}

/// A port's name or a parameter's key from its field's.
pub(crate) fn field_name(field: &Ident) -> String {
    field.unraw().to_string().replace('_', "-")
}

/// The description in `attributes`' doc comments: the lines of a paragraph joined by a space, paragraphs by a line feed.
pub(crate) fn description(attributes: &[Attribute], problems: &mut Problems) -> String {
    let mut lines = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        // `#[doc(hidden)]` and its like are for rustdoc and say nothing.
        let Meta::NameValue(doc) = &attribute.meta else { continue };
        match &doc.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => lines.extend(doc_lines(&text.value())),
            other => problems.note(
                other,
                "a description must be written out: a derive cannot read what a macro in #[doc = …] expands to",
            ),
        }
    }
    join_paragraphs(&lines)
}

/// The trimmed lines of one doc attribute, which is one line of `///` or a whole `/** … */`. The latter's lines keep
/// the stars that authors align, so those go.
fn doc_lines(text: &str) -> Vec<String> {
    let is_starred = |line: &str| line.trim().is_empty() || line.trim().starts_with('*');
    let starred = text.split('\n').skip(1).all(is_starred);
    let trimmed = text.split('\n').enumerate().map(|(position, line)| {
        let line = line.trim();
        let unstarred = line.strip_prefix('*').filter(|_| starred && position > 0);
        unstarred.map_or(line, str::trim).to_owned()
    });
    trimmed.collect()
}

fn join_paragraphs(lines: &[String]) -> String {
    let paragraphs = lines.split(String::is_empty).filter(|paragraph| !paragraph.is_empty());
    paragraphs.map(|paragraph| paragraph.join(" ")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;
    use syn::{DeriveInput, parse_quote};

    use super::*;

    #[test]
    fn type_names_become_kebab_case() {
        for (type_name, expected) in [
            ("CartRouter", "cart-router"),
            ("HTTPProxy", "http-proxy"),
            ("ProxyHTTP", "proxy-http"),
            ("Router2", "router2"),
            ("Router2Go", "router2-go"),
            ("V1", "v1"),
            ("A", "a"),
            ("ABTest", "ab-test"),
            ("Cart_Router", "cart-router"),
        ] {
            assert_eq!(streamlet_name(&Ident::new(type_name, Span::call_site())), expected);
        }
    }

    #[test]
    fn field_names_become_kebab_case_and_raw_identifiers_lose_their_mark() {
        let raw: Ident = parse_quote!(r#in);
        assert_eq!(field_name(&raw), "in");
        assert_eq!(field_name(&Ident::new("review_threshold", Span::call_site())), "review-threshold");
    }

    fn described(input: &DeriveInput) -> (String, Vec<String>) {
        let mut problems = Problems::default();
        let text = description(&input.attrs, &mut problems);
        (text, problems.messages())
    }

    #[test]
    fn lines_join_by_a_space_and_paragraphs_by_a_line_feed() {
        let (text, problems) = described(&parse_quote! {
            /// Routes cart events
            ///   to the valid or review outlet.
            ///
            ///
            /// Nothing is lost.
            #[doc(hidden)]
            struct S;
        });
        assert_eq!(text, "Routes cart events to the valid or review outlet.\nNothing is lost.");
        assert!(problems.is_empty());
    }

    #[test]
    fn block_comments_lose_their_stars() {
        let starred = "\n * Routes cart events\n * to two outlets.\n *\n * Twice.\n ";
        let (text, _) = described(&parse_quote!(#[doc = #starred] struct S;));
        assert_eq!(text, "Routes cart events to two outlets.\nTwice.");
        let plain = " Routes\n   2 * 3 carts\n";
        let (text, _) = described(&parse_quote!(#[doc = #plain] struct S;));
        assert_eq!(text, "Routes 2 * 3 carts");
    }

    #[test]
    fn no_comment_is_no_description() {
        assert_eq!(
            described(&parse_quote!(
                struct S;
            )),
            (String::new(), Vec::new())
        );
    }

    #[test]
    fn a_macro_as_description_is_refused_rather_than_lost() {
        let (_, problems) = described(&parse_quote!(
            #[doc = include_str!("README.md")]
            struct S;
        ));
        assert_eq!(problems.len(), 1);
    }
}
