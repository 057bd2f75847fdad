//! What a validation looks like: tables, files, pictures and a page.

mod cells;
mod document;
mod files;
mod pictures;
mod rules;
mod spec;
mod tables;

pub use document::{Case, Document, ValidationPlan, ValidationSection, document};
pub use files::{choices_csv, page, points_csv, summary_csv};
pub use pictures::pictures;
pub use rules::{RuledChoice, RulesSummary, ruled_choices};
pub use spec::{ValidateSpec, Validated, validations};
pub use tables::{UNPREDICTED, noise, tables, unpredicted};
