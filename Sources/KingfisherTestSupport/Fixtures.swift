public import Foundation

/// The images and certificates that come with this module; `Fixtures/ORIGINS.md` says where each is from.
public enum Fixtures {
    /// Where `name`, a path like `Photos/astronaut.jpg`, lies on this machine.
    public static func url(named name: String) -> URL {
        folder.appendingPathComponent(name)
    }

    /// The bytes of the file.
    public static func data(named name: String) throws -> Data {
        try Data(contentsOf: url(named: name))
    }

    /// The paths of all files of `folder` that end in `.fileExtension`, sorted.
    public static func names(in folder: String, withExtension fileExtension: String) -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(atPath: url(named: folder).path)
        return (files ?? []).filter { $0.hasSuffix("." + fileExtension) }.sorted().map { "\(folder)/\($0)" }
    }

    private static let folder = Bundle.module.bundleURL.appendingPathComponent("Fixtures")
}
