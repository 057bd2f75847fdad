//! The objects that a PDF is made of.

use pdf_writer::{Filter, Pdf, Ref, Stream};

/// The numbers of a document's objects, and how its streams are written.
pub(super) struct Objects {
    last: i32,
    compressed: bool,
}

impl Objects {
    pub(super) const fn new(compressed: bool) -> Self {
        Self { last: 0, compressed }
    }

    /// A number for one more object.
    pub(super) fn next(&mut self) -> Ref {
        self.last += 1;
        Ref::new(self.last)
    }

    /// Writes a stream, of which `say` says more.
    pub(super) fn stream(&self, pdf: &mut Pdf, id: Ref, data: &[u8], say: impl FnOnce(&mut Stream<'_>)) {
        let data = if self.compressed { &miniz_oxide::deflate::compress_to_vec_zlib(data, 6) } else { data };
        let mut stream = pdf.stream(id, data);
        if self.compressed {
            stream.filter(Filter::FlateDecode);
        }
        say(&mut stream);
    }
}
