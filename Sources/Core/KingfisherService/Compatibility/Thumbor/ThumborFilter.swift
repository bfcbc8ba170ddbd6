import KingfisherImage

/// A filter of thumbor or imagor: its name, how many arguments it has, and how it changes a request.
struct ThumborFilter: Sendable {
    /// Throws only `ServiceError`; a closure's typed throws are not inferred.
    typealias Change = @Sendable (inout ThumborDraft, ThumborArguments) throws -> Void

    let name: String
    let arguments: ClosedRange<Int>
    let change: Change

    init(_ name: String, _ arguments: ClosedRange<Int>, change: @escaping Change) {
        (self.name, self.arguments, self.change) = (name, arguments, change)
    }

    /// Changes a request as a filter says; throws 400 with the name of a filter that does not exist here.
    static func apply(_ text: ThumborFilterText, to draft: inout ThumborDraft) throws(ServiceError) {
        guard let filter = byName[text.name] else {
            throw .unsupported(text.name.asName, "there is no such filter")
        }
        let arguments = ThumborArguments(filter.name, text.arguments)
        guard filter.arguments.contains(text.arguments.count) else {
            throw arguments.invalid("another number of arguments")
        }
        do {
            try filter.change(&draft, arguments)
        } catch {
            throw error as? ServiceError ?? arguments.invalid("other arguments")
        }
        try draft.options.checkValues(arguments.invalid)
    }

    /// All filters that have an equivalent.
    static let all = output + pixels

    private static let byName = Dictionary(
        all.map { (Substring($0.name), $0) }, uniquingKeysWith: { first, _ in first })

    /// The file, and how long it is valid.
    private static let output = [
        ThumborFilter("quality", 1...1) { $0.options.quality = try $1.whole(0, in: 1...100) },
        ThumborFilter("format", 1...1) {
            let name = $1.texts[0].lowercased()[...]
            $0.options.format = .exactly(try CompatibleFormat.format(name, of: "format"))
        },
        ThumborFilter("max_bytes", 1...1) {
            $0.options.maximumBytes = try $1.whole(0, in: 1...1_000_000_000)
        },
        ThumborFilter("max_age", 1...1) {
            $0.options.maximumAge = try $1.whole(0, in: 0...31_536_000)
        },
        // Milliseconds, as in imagor.
        ThumborFilter("expire", 1...1) {
            let last = ServiceOptionDefinition.expirations.upperBound
            $0.options.expires = try $1.whole(0, in: 0...(last * 1_000 + 999)) / 1_000
        },
        ThumborFilter("upscale", 0...0) { draft, _ in draft.enlarges = true },
        ThumborFilter("no_upscale", 0...0) { draft, _ in draft.enlarges = false },
        // Results have no metadata, and are in sRGB.
        ThumborFilter("strip_exif", 0...0) { _, _ in },
        ThumborFilter("strip_icc", 0...0) { _, _ in },
    ]
}
