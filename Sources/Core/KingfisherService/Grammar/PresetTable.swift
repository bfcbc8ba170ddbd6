/// The presets of the settings, parsed.
enum PresetTable {
    static func parsed(_ settings: ServiceSettings) throws(ServiceSettingsError) -> [String: [ServiceSegment]]
    {
        var presets: [String: [ServiceSegment]] = [:]
        for (name, text) in settings.presets.sorted(by: { $0.key < $1.key }) {
            let setting = "preset.\(ServiceError.quoted(name))"
            guard NameText.isValid(name) else {
                throw ServiceSettingsError(setting, "A name is 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-'.")
            }
            do {
                presets[name] = try segments(of: text, settings)
            } catch {
                throw ServiceSettingsError(setting, error.message)
            }
        }
        return presets
    }

    private static func segments(
        of text: String, _ settings: ServiceSettings
    ) throws(ServiceError) -> [ServiceSegment] {
        guard !PercentEncoding.hasControl(text) else {
            throw ServiceError(400, "A preset has no control characters.")
        }
        var segments: [ServiceSegment] = []
        // A list without presets refuses a preset in a preset, an option given twice, and too many segments.
        // Only information may have every option.
        var list = SegmentList(.information, presets: [:])
        for part in ByteText.split(text[...], at: "/") {
            guard !part.isEmpty else { throw ServiceError(400, "A preset has no empty segments.") }
            let segment = try ServiceSegment(String(part), settings)
            try list.add(segment)
            segments.append(segment)
        }
        return segments
    }
}
