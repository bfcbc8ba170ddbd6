import Foundation
import KingfisherGTK
import KingfisherTestSupport

/// The folder of the walk: photographs, one of 12 megapixels, one with the metadata of a camera, and files
/// that cannot be shown or turned.
struct Album {
    let folder: URL

    /// In the order of the grid.
    var files: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    }

    func url(_ name: String) -> URL { folder.appending(path: name) }

    /// Writes the files; files of an earlier walk are removed.
    static func make(in folder: URL) async throws -> Album {
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let album = Album(folder: folder)
        let fixtures = ["astronaut", "chelsea", "coffee", "hubble", "retina", "rocket"]
        for number in Array(100..<130) + Array(135..<165) {
            let name = fixtures[(number - 100) % fixtures.count]
            try Fixtures.data(named: "Photos/\(name).jpg").write(to: album.url("\(number)-\(name).jpg"))
        }
        try await large().write(to: album.url("130-large.jpg"))
        try camera().write(to: album.url("131-camera.jpg"))
        try Fixtures.data(named: "Photos/cat.gif").write(to: album.url("132-animation.gif"))
        try Data("not an image".utf8).write(to: album.url("133-corrupt.jpg"))
        try Fixtures.data(named: "Photos/coffee.jpg").write(to: album.url("134-protected.jpg"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o444], ofItemAtPath: album.url("134-protected.jpg").path)
        return album
    }

    /// A photograph with the metadata of a camera: the EXIF segment of another file, after the first marker.
    private static func camera() throws -> Data {
        var photo = try Fixtures.data(named: "Photos/coffee.jpg")
        let other = try Fixtures.data(named: "Metadata/camera.jpg")
        guard let start = other.firstRange(of: Data([0xFF, 0xE1]))?.lowerBound else {
            throw Failure("the fixture has no EXIF")
        }
        let length = Int(other[start + 2]) << 8 + Int(other[start + 3])
        photo.insert(contentsOf: other[start..<start + 2 + length], at: 2)
        return photo
    }

    @concurrent private static func large() async throws -> Data {
        let data = try Fixtures.data(named: "Photos/hubble.jpg")
        guard let image = KingfisherWrapper<Image>.image(data: data, options: ImageCreatingOptions()),
            let file = image.kf.resize(to: CGSize(width: 4000, height: 3000))
                .kf.jpegRepresentation(compressionQuality: 0.9)
        else { throw Failure("the large photo cannot be made") }
        return file
    }
}
