public import Foundation

/// The images and certificates in this module. `Fixtures/ORIGINS.md` lists their sources.
public enum Fixtures {
    /// The URL of the fixture `name`, a path such as `Photos/astronaut.jpg`.
    public static func url(named name: String) -> URL {
        folder.appendingPathComponent(name)
    }

    /// The content of the fixture.
    public static func data(named name: String) throws -> Data {
        try Data(contentsOf: url(named: name))
    }

    /// The sorted paths of all files in `folder` with the extension `fileExtension`.
    public static func names(in folder: String, withExtension fileExtension: String) -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(atPath: url(named: folder).path)
        return (files ?? []).filter { $0.hasSuffix("." + fileExtension) }.sorted().map { "\(folder)/\($0)" }
    }

    private static let folder = Bundle.module.bundleURL.appendingPathComponent("Fixtures")
}
