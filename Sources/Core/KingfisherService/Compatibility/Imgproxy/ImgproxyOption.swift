/// An option of imgproxy: its names, and how it changes ``ImgproxyOptions``.
struct ImgproxyOption: Sendable {
    /// Throws only `ServiceError`; a closure's typed throws are not inferred.
    typealias Change = @Sendable (inout ImgproxyOptions, ImgproxyArguments) throws -> Void

    enum Effect: Sendable {
        /// With at most so many arguments.
        case change(maximum: Int, Change)
        /// The arguments are names of presets.
        case presets
        /// For this reason.
        case unsupported(String)
    }

    /// The long name comes first.
    let names: [String]
    let effect: Effect

    init(_ names: String..., arguments: Int = 1, change: @escaping Change) {
        self.names = names
        effect = .change(maximum: arguments, change)
    }

    init(_ names: [String], _ effect: Effect) { (self.names, self.effect) = (names, effect) }

    /// An option whose only value is what the service does anyway.
    static func fixed(_ names: String..., is value: Bool, otherwise reason: String) -> ImgproxyOption {
        ImgproxyOption(
            names,
            .change(maximum: 1) {
                let flag = try $1.flag()
                guard flag == value else { throw $1.unsupported(flag ? "1" : "0", reason) }
            })
    }

    static func unsupported(_ names: String..., reason: String) -> ImgproxyOption {
        ImgproxyOption(names, .unsupported(reason))
    }

    /// All options of imgproxy documentation 752e7bb; others are unknown.
    static let all = sizes + effects + output + unsupported

    static func named(_ name: String) -> ImgproxyOption? { byName[name] }

    private static let byName = Dictionary(
        all.flatMap { option in option.names.map { ($0, option) } }, uniquingKeysWith: { first, _ in first })
}
