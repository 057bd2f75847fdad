//! temporary
use crate::record::Record;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
#[derive(Debug)]
pub struct Store<K>(Mutex<HashMap<K, Record>>);
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct StoreError;
impl<K: Copy + Eq + std::hash::Hash> Store<K> {
    pub fn open(_: &Path) -> Result<(Self, Vec<String>), StoreError> {
        Ok((Self(Mutex::default()), vec![]))
    }
    pub fn contains(&self, k: K) -> bool {
        self.0.lock().unwrap().contains_key(&k)
    }
    pub fn get(&self, k: K) -> Result<Option<Record>, StoreError> {
        Ok(self.0.lock().unwrap().get(&k).cloned())
    }
    pub fn append(&self, k: K, r: &Record) -> Result<(), StoreError> {
        self.0.lock().unwrap().insert(k, r.clone());
        Ok(())
    }
}
