//! Canonical JSON, byte for byte, against bytes this crate did not write.

use std::{fs, path::Path};

use streamlet_protocol::{Descriptor, descriptor, json};

use crate::{declarations, own_fixtures, shared_fixtures};

/// Every declaration becomes its file, every file is read back, is valid, and is written unchanged.
fn check(folder: &Path, declared: &[Descriptor]) {
    let files = fs::read_dir(folder).unwrap().count();
    assert_eq!(files, declared.len(), "a declaration for each file of {}", folder.display());
    for declaration in declared {
        let bytes = fs::read(folder.join(format!("{}.json", declaration.name))).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(json::to_canonical(declaration), text, "{}", declaration.name);
        let read = json::from_json(&text).unwrap();
        assert_eq!(json::to_canonical(&read), text, "{}", declaration.name);
        assert_eq!(read.validate(), Ok(()), "{}", declaration.name);
        assert_eq!(declaration.validate(), Ok(()), "{}", declaration.name);
        assert_eq!(descriptor::compare_exact(&read, declaration), [], "{}", declaration.name);
        let mut sorted = declaration.clone();
        sorted.sort();
        assert_eq!(sorted, read, "{}", declaration.name);
    }
}

#[test]
fn the_platforms_descriptors_are_reproduced_byte_for_byte() {
    if let Some(folder) = shared_fixtures() {
        check(&folder.join("descriptors"), &declarations::shared());
    }
}

#[test]
fn our_own_descriptors_are_reproduced_byte_for_byte() {
    check(&own_fixtures().join("descriptors"), &declarations::own());
}
