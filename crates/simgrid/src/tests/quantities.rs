//! Units that SimGrid reads and hetsim writes. Values by arithmetic; 1 byte is 8 bits, 1 KiB is 1024 bytes.

use crate::decimal::Decimal;
use crate::quantity::QuantityKind;

fn written(kind: QuantityKind, text: &str) -> String {
    kind.read(text).expect("a quantity").write()
}

#[test]
fn no_digit_is_lost_or_made_up() {
    for (text, expected) in [
        ("125MBps", "125MB/s"),
        ("1Gbps", "125MB/s"),
        ("1.25E9Bps", "1.25GB/s"),
        ("41.279125MBps", "41.279125MB/s"),
        ("10kBps", "10kB/s"),
        ("12", "12B/s"),
        ("1bps", "0.125B/s"),
        ("100MiBps", "100MiB/s"),
        ("8Kibps", "1KiB/s"),
        ("1000KiBps", "1.024MB/s"),
        ("2PBps", "2000TB/s"),
        ("0.1MBps", "100kB/s"),
    ] {
        assert_eq!(written(QuantityKind::Bandwidth, text), expected, "{text}");
    }
    for (text, expected) in [
        ("24us", "24us"),
        ("1.0E-4s", "100us"),
        ("5.70455ms", "5.70455ms"),
        ("0", "0s"),
        ("0.5", "500ms"),
        ("2m", "120s"),
        ("1w", "604800s"),
        ("0.25ps", "0.25ps"),
    ] {
        assert_eq!(written(QuantityKind::Time, text), expected, "{text}");
    }
    for (text, expected) in [
        ("286.087Mf", "286.087Mop/s"),
        ("5.2297E9f", "5.2297Gop/s"),
        ("10f", "10op/s"),
        ("1Pf", "1000Top/s"),
        ("2gigaflops", "2Gop/s"),
        ("7flops", "7op/s"),
    ] {
        assert_eq!(written(QuantityKind::Speed, text), expected, "{text}");
    }
}

#[test]
fn what_is_no_quantity_is_refused() {
    for text in ["", "fast", "1.5", "-1Bps", "1MBs", "1 MBps", "1e99999Bps", "0x10Bps", "infBps", ".", "1e", "MBps"] {
        let read = QuantityKind::Bandwidth.read(text);
        assert_eq!(read.is_ok(), text == "1.5", "{text}: {read:?}");
    }
    let digits = "1".repeat(40);
    assert!(QuantityKind::Time.read(&digits).is_err_and(|message| message.contains("too many digits")));
}

#[test]
fn decimals_are_exact() {
    let number = |text: &str| Decimal::read(text).expect("a number").0;
    assert_eq!(
        number("200").minus(number("93.33333333333333")).map(Decimal::plain).as_deref(),
        Some("106.66666666666667")
    );
    assert_eq!(number("0.1").plus(number("0.2")), Some(number("0.3")));
    assert_eq!(number("0.003").over(number("0.01")), 0.3);
    assert_eq!(number("1").minus(number("2")), None);
    assert!(number("1e60") > number("9e-60"));
    assert_eq!(number("-0.00"), Decimal::ZERO);
}
