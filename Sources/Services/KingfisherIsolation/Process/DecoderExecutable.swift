import CSandbox
import Foundation
import KingfisherImage

/// Where `kingfisher-decoder` is.
struct DecoderExecutable {
    static let name = "kingfisher-decoder"

    /// The path that the program has set; nil without one.
    var setting: String?
    /// The value of the environment variable `KINGFISHER_DECODER`.
    var variable: String?
    /// The folder of the running program.
    var folder: String
    var isExecutable: (String) -> Bool

    /// The path of the executable. A path that is set and does not exist is an error, and not a reason to
    /// look elsewhere.
    func path() throws(MissingDecoder) -> String {
        for (path, origin) in [(setting, "DecoderSettings.executable"), (variable, "KINGFISHER_DECODER")] {
            guard let path, !path.isEmpty else { continue }
            guard isExecutable(path) else {
                throw MissingDecoder(reason: "\(origin) names no program: \(path)")
            }
            return path
        }
        let places = [folder, folder + "/../libexec"].map { "\($0)/\(Self.name)" }
        guard let path = places.first(where: isExecutable) else {
            throw MissingDecoder(
                reason: "\(Self.name) is neither in \(folder) nor in its ../libexec. Build it with"
                    + " `swift build --product \(Self.name)` and put it there, install it with"
                    + " `make install`, or set KINGFISHER_DECODER to its path")
        }
        return path
    }
}

extension DecoderExecutable {
    /// The path for this process; throws `decoderFailed(.unavailable)`.
    static func path(_ settings: DecoderSettings) throws(ImageCodecError) -> String {
        do throws(MissingDecoder) {
            return try DecoderExecutable(
                setting: settings.executable,
                variable: kf_sandbox_variable("KINGFISHER_DECODER").map { String(cString: $0) },
                folder: programFolder, isExecutable: { access($0, X_OK) == 0 }
            ).path()
        } catch {
            throw .decoderFailed(.unavailable(error.reason))
        }
    }

    private static var programFolder: String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (program as NSString).deletingLastPathComponent
    }
}

struct MissingDecoder: Error {
    let reason: String
}
