import ArgumentParser
import Kingfisher

/// How the keys of http(s) URLs are computed. Commands that use the same cache need the same rule.
struct KeyRuleOptions: ParsableArguments {
    @Option(
        name: .customLong("key-rule"),
        help: ArgumentHelp(
            """
            What the cache ignores of an http(s) URL: presigned, the signature of an S3, GCS, Azure or \
            CloudFront request; drop:NAME[,NAME], these query items; keep:NAME[,NAME], all other query items. \
            Default: nothing.
            """,
            valueName: "rule"),
        transform: { try KeyRule($0) })
    var rule: KeyRule?
}

/// A rule written as `presigned`, `drop:NAME[,NAME]` or `keep:NAME[,NAME]`.
struct KeyRule: Hashable, Sendable {
    private enum Kind: Hashable {
        case presigned
        case drop(Set<String>)
        case keep(Set<String>)
    }

    private let kind: Kind

    init(_ text: String) throws(ValidationError) {
        let (name, list) = text.split(at: ":")
        let names = list.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        switch (name, names) {
        case ("presigned", nil): kind = .presigned
        case ("drop", let names?) where !names.contains(""): kind = .drop(Set(names))
        case ("keep", let names?) where !names.contains(""): kind = .keep(Set(names))
        default:
            throw ValidationError(
                "a rule is written 'presigned', 'drop:NAME[,NAME]' or 'keep:NAME[,NAME]'")
        }
    }

    var rule: CacheKeyRule {
        switch kind {
        case .presigned: .presigned
        case .drop(let names): .droppingQueryItems(named: names)
        case .keep(let names): .keepingQueryItems(named: names)
        }
    }
}
