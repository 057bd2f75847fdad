//! Platform files of SimGrid, against closed forms and against what SimGrid prints.

mod concurrent_messages;
mod platform_files;
