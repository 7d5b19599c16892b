//! `sasl.jaas.config`: one login module and its options, in the syntax of Java's login files.
//!
//! Owns reading it. Refuses by saying what was expected, never what was there: half of it is a password.

/// A login module as configured.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) module: Module,
    options: Vec<(String, String)>,
}

/// The modules that have a counterpart here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Module {
    Plain,
    Scram,
    Kerberos,
    /// Of OAUTHBEARER or of Amazon's identities.
    Token,
    Unknown,
}

impl Module {
    /// The class's last name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Plain => "PlainLoginModule",
            Self::Scram => "ScramLoginModule",
            Self::Kerberos => "Krb5LoginModule",
            Self::Token => "a module of tokens",
            Self::Unknown => "an unknown module",
        }
    }

    fn of(class: &str) -> Self {
        match class {
            "org.apache.kafka.common.security.plain.PlainLoginModule" => Self::Plain,
            "org.apache.kafka.common.security.scram.ScramLoginModule" => Self::Scram,
            "com.sun.security.auth.module.Krb5LoginModule" | "com.ibm.security.auth.module.Krb5LoginModule" => {
                Self::Kerberos
            }
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
            | "software.amazon.msk.auth.iam.IAMLoginModule" => Self::Token,
            _ => Self::Unknown,
        }
    }
}

impl Login {
    /// Reads `MODULE FLAG KEY=VALUE … ;`. The error says what was expected.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut tokens = tokens(text)?.into_iter().peekable();
        let module = match tokens.next() {
            Some(Token::Word(class)) => Module::of(&class),
            _ => return Err("it begins with the class of a login module"),
        };
        let is_flag =
            |flag: &str| ["required", "requisite", "sufficient", "optional"].contains(&flag.to_lowercase().as_str());
        if !matches!(tokens.next(), Some(Token::Word(flag)) if is_flag(&flag)) {
            return Err("the word `required` follows the login module");
        }
        let mut options = Vec::new();
        loop {
            match (tokens.next(), tokens.peek()) {
                (Some(Token::End), None) => return Ok(Self { module, options }),
                (Some(Token::End), Some(_)) => return Err("it has one login module, and ends with its `;`"),
                (Some(Token::Word(key)), Some(Token::Equals)) => {
                    tokens.next();
                    match tokens.next() {
                        Some(Token::Word(value)) => options.push((key, value)),
                        _ => return Err("an option is key=\"value\""),
                    }
                }
                (Some(_), _) => return Err("an option is key=\"value\""),
                (None, _) => return Err("it ends with `;`"),
            }
        }
    }

    pub(super) fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    pub(super) fn is_on(&self, key: &str) -> bool {
        self.option(key).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }
}

enum Token {
    /// Quoted or not.
    Word(String),
    Equals,
    End,
}

/// Words, `=` and `;`. Quotes are `"` or `'`, with backslashes before what would end them.
fn tokens(text: &str) -> Result<Vec<Token>, &'static str> {
    let mut tokens = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            _ if character.is_whitespace() => {}
            '=' => tokens.push(Token::Equals),
            ';' => tokens.push(Token::End),
            quote @ ('"' | '\'') => {
                let mut word = String::new();
                loop {
                    match characters.next() {
                        Some(end) if end == quote => break,
                        Some('\\') => word.extend(characters.next().map(unescaped)),
                        Some(character) => word.push(character),
                        None => return Err("a quoted value has closing quotes"),
                    }
                }
                tokens.push(Token::Word(word));
            }
            _ => {
                let mut word = String::from(character);
                let is_part = |next: &char| !next.is_whitespace() && !matches!(next, '=' | ';' | '"' | '\'');
                while let Some(next) = characters.next_if(is_part) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
        }
    }
    Ok(tokens)
}

fn unescaped(character: char) -> char {
    match character {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        character => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Options<'a> = &'a [(&'a str, &'a str)];

    #[track_caller]
    fn check(text: &str, expected: Result<(Module, Options<'_>), &str>) {
        let found = Login::parse(text).map(|login| (login.module, login.options));
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let expected = expected.map(|(module, options)| (module, options.iter().map(owned).collect()));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn logins() {
        let plain = "org.apache.kafka.common.security.plain.PlainLoginModule";
        let user = |rest: &str| format!("{plain} required username=\"alice\" {rest}");
        check(&user(";"), Ok((Module::Plain, &[("username", "alice")])));
        check(
            &user(r#"password="a\"b\\c;=d" ;"#),
            Ok((Module::Plain, &[("username", "alice"), ("password", "a\"b\\c;=d")])),
        );
        check(&user("\n  password = 'x y'\n;\n"), Ok((Module::Plain, &[("username", "alice"), ("password", "x y")])));
        check(
            "com.sun.security.auth.module.Krb5LoginModule REQUIRED useKeyTab=true;",
            Ok((Module::Kerberos, &[("useKeyTab", "true")])),
        );
        check("a.b.Other optional;", Ok((Module::Unknown, &[])));
    }

    #[test]
    fn refusals() {
        let plain = "org.apache.kafka.common.security.plain.PlainLoginModule";
        check("", Err("it begins with the class of a login module"));
        check(&format!("{plain} username=x;"), Err("the word `required` follows the login module"));
        check(&format!("{plain} required username=x"), Err("it ends with `;`"));
        check(&format!("{plain} required username;"), Err("an option is key=\"value\""));
        check(&format!("{plain} required username=;"), Err("an option is key=\"value\""));
        check(&format!("{plain} required password=\"x;"), Err("a quoted value has closing quotes"));
        check(&format!("{plain} required; {plain} required;"), Err("it has one login module, and ends with its `;`"));
    }
}
