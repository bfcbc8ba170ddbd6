/// The prefix below which a reader reads paths.
struct ServiceRoute: Sendable {
    enum Reader: String, Sendable {
        case native
        case imgproxy
        case thumbor
    }

    let reader: Reader
    /// `/`, or `/` and segments without a slash at the end.
    let prefix: String

    /// The routes of a service, the longest prefix first.
    static func all(_ settings: ServiceSettings) -> [ServiceRoute] {
        let prefixes: [(Reader, String?)] = [
            (.native, settings.nativePrefix), (.imgproxy, settings.imgproxy?.prefix),
            (.thumbor, settings.thumbor?.prefix),
        ]
        return prefixes.compactMap { reader, prefix in prefix.map { ServiceRoute(reader: reader, prefix: $0) }
        }
        .sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    /// The first route of a path, and the path below its prefix, without the slash after the prefix.
    static func match(_ routes: [ServiceRoute], _ path: String) -> (ServiceRoute, Substring)? {
        for route in routes {
            let start = route.prefix == "/" ? "/" : route.prefix + "/"
            if ByteText.hasPrefix(path, start) {
                return (route, Substring(path.utf8.dropFirst(start.utf8.count)))
            }
        }
        return nil
    }

    var setting: String { "\(reader.rawValue)-prefix" }

    /// Whether the prefix is `/`, or segments of letters, digits and `-._~` that are not dot segments.
    var isWellFormed: Bool {
        guard ByteText.hasPrefix(prefix, "/") else { return false }
        return prefix == "/"
            || ByteText.split(prefix[...], at: "/").dropFirst().allSatisfy { segment in
                !segment.isEmpty && !DotSegments.isDots(segment.utf8)
                    && segment.utf8.allSatisfy { ByteText.isAlphanumeric($0) || "-._~".utf8.contains($0) }
            }
    }

    /// Whether paths below `native` with this prefix have another meaning there.
    func hides(_ native: ServiceRoute) -> Bool {
        let start = native.prefix == "/" ? "/" : native.prefix + "/"
        guard reader != .native, ByteText.hasPrefix(prefix, start) else { return false }
        let rest = Substring(prefix.utf8.dropFirst(start.utf8.count))
        let first = ByteText.cut(rest, at: "/")?.before ?? rest
        return [SignedPath.information, NativeSigner.unsigned].contains { ByteText.areEqual($0, first) }
    }
}
