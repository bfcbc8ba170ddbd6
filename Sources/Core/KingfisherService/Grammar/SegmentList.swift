/// The steps and options of a URL, in which presets are replaced by their segments.
struct SegmentList {
    /// The most segments of a URL, and the most steps and options after presets are replaced.
    static let maximum = 32

    private(set) var steps: [ServiceRequest.Step] = []
    private var presetOptions: [(definition: ServiceOptionDefinition, argument: Substring?)] = []
    private var ownOptions: [(definition: ServiceOptionDefinition, argument: Substring?)] = []
    private let kind: ServiceRequest.Kind
    private let presets: [String: [ServiceSegment]]

    init(_ kind: ServiceRequest.Kind, presets: [String: [ServiceSegment]]) {
        (self.kind, self.presets) = (kind, presets)
    }

    mutating func add(_ segment: ServiceSegment) throws(ServiceError) {
        switch segment {
        case .step(let step): steps.append(step)
        case .option(let definition, let argument):
            guard !ownOptions.contains(where: { $0.definition.name == definition.name }) else {
                throw ServiceError(400, "Option '\(definition.name)' is given twice.")
            }
            try check(definition)
            ownOptions.append((definition, argument))
            guard definition.name == ServiceOptionDefinition.preset.name else { break }
            for name in ByteText.split(argument ?? "", at: ",") { try addPreset(String(name)) }
        }
        try checkCount()
    }

    /// The options of the URL, completed by its presets. `format` is what follows the source.
    func options(format: ServiceOptions.Format?) throws(ServiceError) -> ServiceOptions {
        var options = ServiceOptions()
        for (definition, argument) in presetOptions + ownOptions { _ = definition.read(argument, &options) }
        guard let format else { return options }
        let hasFormat = ownOptions.contains { $0.definition.name == ServiceOptionDefinition.format.name }
        guard !hasFormat || options.format == format else {
            throw ServiceError(400, "The URL has two formats.")
        }
        options.format = format
        return options
    }

    private mutating func addPreset(_ name: String) throws(ServiceError) {
        guard let segments = presets[name] else {
            throw ServiceError(400, "No preset '\(ServiceError.quoted(name))' is configured.")
        }
        for segment in segments {
            switch segment {
            case .step(let step): steps.append(step)
            case .option(let definition, let argument):
                try check(definition)
                presetOptions.append((definition, argument))
            }
        }
        try checkCount()
    }

    private func check(_ definition: ServiceOptionDefinition) throws(ServiceError) {
        guard definition.kind ?? kind == kind else {
            throw ServiceError(400, "Option '\(definition.name)' is not for this kind of request.")
        }
    }

    private func checkCount() throws(ServiceError) {
        guard steps.count + presetOptions.count + ownOptions.count <= Self.maximum else {
            throw ServiceError(400, "More than \(Self.maximum) steps and options.")
        }
    }
}
