//! Makes the files of the page from the module that `build.sh` has compiled.

#[cfg(target_family = "wasm")]
fn main() {}

#[cfg(not(target_family = "wasm"))]
fn main() -> Result<(), hetsim_playground::menu::Fault> {
    use std::fs;
    use std::path::Path;

    use hetsim_playground::menu::shipped;
    use wasm_bindgen_cli_support::Bindgen;

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, site] = arguments.as_slice() else { return Err("usage: bundle MODULE.wasm SITE".into()) };
    let (site, package) = (Path::new(site), Path::new(env!("CARGO_MANIFEST_DIR")));
    fs::create_dir_all(site)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name("hetsim").no_modules(true)?.typescript(false).remove_name_section(true);
    bindgen.generate(site)?;
    for entry in fs::read_dir(package.join("page"))? {
        let path = entry?.path();
        fs::copy(&path, site.join(path.file_name().unwrap_or_default()))?;
    }
    fs::write(site.join("scenarios.json"), shipped(&package.join("../scenarios"))?.to_string())?;
    Ok(())
}
