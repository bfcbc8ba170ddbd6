import Foundation
import Kingfisher
import KingfisherService

/// What settings decide together, and where they contradict each other.
struct SettingCombination {
    private(set) var settings: ServerSettings
    private(set) var errors: [ServiceSettingsError] = []
    private let draft: SettingsDraft
    private let environment: [String: String]
    /// The settings that have a value.
    private let names: Set<String>
    /// The settings whose value is malformed.
    private let failed: Set<String>

    init(
        _ draft: SettingsDraft, _ environment: [String: String], names: Set<String>, failed: Set<String>
    ) {
        (self.draft, self.environment, self.names, self.failed) = (draft, environment, names, failed)
        settings = draft.settings
    }

    /// Whether a key must be made, because a development server has none.
    var needsDevelopmentKey: Bool { draft.signs && draft.signingKeys.isEmpty && draft.isDevelopment }

    mutating func check() {
        settings.urls.watermarks = Set(settings.watermarks.keys)
        settings.urls.fallbacks = Set(settings.fallbacks.keys)
        settings.urls.sources.allowsFolder = settings.folder != nil
        settings.responses.sourceDefaultLifetime = Int(settings.caches.sourceDefaultLifetime)
        settings.responses.isDevelopment = draft.isDevelopment
        checkSigning()
        checkListeners()
        checkImgproxy()
        checkThumbor()
        checkBuckets()
        checkPurges()
        checkPrefixes()
        checkFallbacks()
        checkURLs()
    }

    private mutating func fail(_ name: String, _ reason: String) {
        guard !failed.contains(name), !errors.contains(where: { $0.name == name }) else { return }
        errors.append(ServiceSettingsError(name, reason))
    }

    private mutating func checkSigning() {
        settings.urls.signing = draft.signs ? .keys(draft.signingKeys) : .off
        let isKnown = failed.isDisjoint(with: ["signing", "development"])
        if isKnown, draft.signs, draft.signingKeys.isEmpty, !draft.isDevelopment {
            fail(
                "signing-keys-file",
                "URLs are signed, and there is no key; openssl rand -hex 32 makes one, and development needs none."
            )
        }
        if !draft.signs, !settings.listen.isLocal {
            fail("signing", "Only a server on loopback may accept URLs without signatures.")
        }
        if draft.isDevelopment, !settings.listen.isLocal {
            fail("listen", "A development server is on loopback.")
        }
        if draft.isDevelopment, settings.adminListen?.isLocal == false {
            fail("admin-listen", "A development server is on loopback.")
        }
    }

    private mutating func checkListeners() {
        switch settings.listen {
        case .tcp(_, 0), .systemd: break
        case let listen where listen == settings.adminListen: fail("admin-listen", "Clients connect there.")
        default: break
        }
        let load = settings.load
        if let perClient = load.connectionsPerClient, perClient > load.connections {
            fail("connections-per-client", "There are only \(load.connections) connections.")
        }
    }

    /// Without signing, its URLs need no keys; a prefix shows that they are wanted.
    private mutating func checkImgproxy() {
        let isWanted = !draft.signs && names.contains("imgproxy-prefix")
        if isWanted || names.contains("imgproxy-keys-file") {
            settings.urls.imgproxy = draft.imgproxy
            return
        }
        for name in names.sorted() where name.hasPrefix("imgproxy-") {
            fail(name, "URLs of imgproxy need imgproxy-keys-file.")
        }
    }

    private mutating func checkThumbor() {
        if names.contains("thumbor-key-file") {
            settings.urls.thumbor = draft.thumbor
            return
        }
        for name in names.sorted() where name.hasPrefix("thumbor-") {
            fail(name, "URLs of thumbor need thumbor-key-file.")
        }
    }

    private mutating func checkBuckets() {
        guard !settings.urls.sources.buckets.isEmpty else {
            for name in names.sorted() where name.hasPrefix("s3-") && name != "s3-buckets" {
                fail(name, "No bucket may be read without s3-buckets.")
            }
            return
        }
        guard let credentials = draft.s3.credentials ?? S3Credentials(environment: environment) else {
            fail(
                "s3-credentials-file", "Buckets need keys, also AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
            return
        }
        guard
            let endpoint = S3Endpoint(
                region: draft.s3.region, url: draft.s3.endpoint, usesPathStyle: draft.s3.usesPathStyle)
        else {
            fail("s3-endpoint", "The URL does not fit the region.")
            return
        }
        var buckets = ServerSettings.Buckets(endpoint: endpoint, credentials: credentials)
        buckets.allowedAddresses = draft.s3.allowedAddresses
        settings.buckets = buckets
    }

    private mutating func checkPurges() {
        guard !names.contains("purge-token-file") else { return }
        if settings.purgesPublicly { fail("purge-public", "Purges need purge-token-file.") }
    }

    /// Equal prefixes are reported where one has been set.
    private mutating func checkPrefixes() {
        let urls = settings.urls
        let prefixes = [
            ("thumbor-prefix", urls.thumbor?.prefix), ("imgproxy-prefix", urls.imgproxy?.prefix),
            ("native-prefix", urls.nativePrefix),
        ]
        for (index, (name, prefix)) in prefixes.enumerated() {
            for (other, otherPrefix) in prefixes[..<index] where prefix != nil && prefix == otherPrefix {
                let (place, second) = names.contains(other) ? (other, name) : (name, other)
                let origin = names.contains(second) ? "" : " by default"
                fail(place, "The value of \(second) is the same\(origin).")
            }
        }
    }

    /// Fallbacks that presets name, which URLs are checked for when they are used.
    private mutating func checkFallbacks() {
        for (preset, text) in settings.urls.presets.sorted(by: { $0.key < $1.key }) {
            for segment in text.split(separator: "/") where segment.hasPrefix("fallback:") {
                let name = segment.dropFirst("fallback:".count)
                guard settings.fallbacks[String(name)] == nil else { continue }
                fail("preset.\(preset)", "There is no fallback.\(SettingText.plain(name)).")
            }
        }
    }

    /// The rules of URLs report one error at a time, so that parts that do not depend on each other are
    /// checked alone.
    private mutating func checkURLs() {
        var sources = ServiceSettings(signing: .off)
        sources.sources = settings.urls.sources
        var others = settings.urls
        others.presets = [:]
        if errors.contains(where: { $0.name.hasSuffix("-prefix") }) {
            (others.imgproxy, others.thumbor) = (nil, nil)
        }
        // A key that is missing is another error.
        if draft.signs, let key = SigningKey(Array(repeating: 0, count: 32)) { others.signing = .keys([key]) }
        var presets = ServiceSettings(signing: .off)
        (presets.watermarks, presets.fallbacks) = (settings.urls.watermarks, settings.urls.fallbacks)
        presets.maximumResultSide = settings.urls.maximumResultSide
        presets.maximumResultPixels = settings.urls.maximumResultPixels
        checkURLs(sources)
        checkURLs(others)
        for (name, text) in settings.urls.presets.sorted(by: { $0.key < $1.key }) {
            presets.presets = [name: text]
            checkURLs(presets)
        }
    }

    private mutating func checkURLs(_ settings: ServiceSettings) {
        do throws(ServiceSettingsError) {
            _ = try ServiceURLs(settings)
        } catch {
            fail(error.name, error.reason)
        }
    }

    /// Adds the key of a development server.
    mutating func addDevelopmentKey(stores: Bool) throws(ServiceSettingsError) {
        guard let folder = settings.caches.folder else {
            throw ServiceSettingsError("cache-folder", "There is no home folder; a folder is needed.")
        }
        do throws(SettingReason) {
            settings.urls.signing = .keys([try DevelopmentKey(folder: folder).key(stores: stores)])
        } catch {
            throw ServiceSettingsError("development", error.text)
        }
    }
}
