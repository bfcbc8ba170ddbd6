import Kingfisher

/// A step or an option: a segment of a URL or of a preset.
enum ServiceSegment: Sendable {
    case step(ServiceRequest.Step)
    /// The argument is valid, and nil without a colon.
    case option(ServiceOptionDefinition, Substring?)

    /// Parses a segment, which is percent-decoded. Names of images must be in the settings.
    init(_ text: String, _ settings: ServiceSettings) throws(ServiceError) {
        let (name, argument) = ByteText.cut(text[...], at: ":") ?? (text[...], nil as Substring?)
        if let definition = ServiceOptionDefinition.named(name) {
            try Self.check(argument, of: definition, settings)
            self = .option(definition, argument)
        } else {
            self = .step(try Self.step(text, named: name, settings))
        }
    }

    private static func check(
        _ argument: Substring?, of definition: ServiceOptionDefinition, _ settings: ServiceSettings
    ) throws(ServiceError) {
        var options = ServiceOptions()
        guard definition.read(argument, &options) else {
            throw ServiceError(
                400, "Invalid argument of '\(definition.name)'; expected \(definition.usage).")
        }
        if let name = options.fallback, !settings.fallbacks.contains(name) {
            throw ServiceError(400, "No fallback image '\(ServiceError.quoted(name))' is configured.")
        }
    }

    private static func step(
        _ text: String, named name: Substring, _ settings: ServiceSettings
    ) throws(ServiceError) -> ServiceRequest.Step {
        let step: ServiceRequest.Step
        do {
            step = try ServiceRequest.Step(text)
        } catch .unknownStep {
            throw ServiceError(400, "Unknown step or option '\(ServiceError.quoted(name))'.")
        } catch {
            let reason = ServiceError.quoted("\(error)", limit: 300)
            throw ServiceError(400, "Step '\(ServiceError.quoted(name))': \(reason).")
        }
        if let mark = [step.step].watermarkNames.first(where: { !isMark($0, settings) }) {
            throw ServiceError(400, "No watermark '\(ServiceError.quoted(mark))' is configured.")
        }
        if let size = step.size, !StepLimits(settings).allow(size) {
            throw ServiceError(400, "Step '\(ServiceError.quoted(name))' exceeds the size of results.")
        }
        return step
    }

    private static func isMark(_ name: String, _ settings: ServiceSettings) -> Bool {
        NameText.isValid(name) && settings.watermarks.contains(name)
    }
}
