package import Foundation

/// An nginx on a free port of the loopback interface, which serves files over HTTPS with HTTP/2 by default.
///
/// It is one process with all its files in a temporary folder, and needs no privileges. It runs until
/// `stop()`, or until this process ends.
package final class NginxServer {
    /// A line of the access log.
    package struct Entry: Hashable {
        package let connection: Int
        package let status: Int
        package let path: String
        package let version: String
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Ends nginx after a line, or the end, of standard input. Signals may be blocked: SIGTERM would not end
    /// nginx, and the shell's `wait` would not return.
    private static let script = """
        PATH=$PATH:/usr/sbin
        command -v nginx >/dev/null || exit 127
        nginx "$@" </dev/null &
        read -r line
        kill -KILL $!
        """

    package let port: UInt16
    /// Reserves the port; nginx cannot choose one itself.
    private let reservation: Int32
    private let folder = TestFolders.unused()
    private let process = Process()
    private let input = Pipe()

    /// - Parameters:
    ///   - directives: Additional directives for the server.
    ///   - tls: Whether it expects TLS; otherwise it speaks only HTTP/1.1.
    ///   - files: By path, without the leading slash.
    package init(
        _ directives: String = "", tls: Bool = true, http2: Bool = true, files: [String: Data] = [:]
    ) async throws {
        (reservation, port) = try ListeningSocket.reserve()
        try FileManager.default.createDirectory(
            at: folder.appending(path: "files"), withIntermediateDirectories: true)
        for (path, data) in files { try data.write(to: folder.appending(path: "files/\(path)")) }
        let configuration = folder.appending(path: "nginx.conf")
        let protocols = tls ? " ssl" + (http2 ? " http2" : "") : ""
        try Data(text(directives, protocols: protocols).utf8).write(to: configuration)
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", Self.script, "sh", "-p", folder.path, "-c", configuration.path, "-e", "error.log",
        ]
        process.standardInput = input
        // The shell would otherwise hold its own input open.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try process.run()
        guard await poll(until: { accepts() || !process.isRunning }), process.isRunning else {
            let log = try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)
            stop()
            let reason =
                process.terminationStatus == 127
                ? "it is missing, scripts/setup installs it" : log ?? "it wrote no log"
            throw Failure(description: "nginx did not start: \(reason)")
        }
    }

    package func url(_ path: String) -> URL {
        URL(string: "https://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
    }

    /// The requests that have ended so far.
    package var log: [Entry] {
        let text = try? String(contentsOf: folder.appending(path: "access.log"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 4, let connection = Int(parts[0]), let status = Int(parts[1]) else {
                return nil
            }
            return Entry(
                connection: connection, status: status, path: String(parts[2]), version: String(parts[3]))
        }
    }

    package func stop() {
        if process.isRunning { try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }
        process.waitUntilExit()
        try? input.fileHandleForWriting.close()
        close(reservation)
        try? FileManager.default.removeItem(at: folder)
    }

    private func text(_ directives: String, protocols: String) -> String {
        """
        daemon off;
        master_process off;
        pid nginx.pid;
        events { worker_connections 512; }
        http {
            log_format entries '$connection $status $uri $server_protocol';
            access_log access.log entries;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            server {
                listen 127.0.0.1:\(port) reuseport\(protocols);
                ssl_certificate \(Fixtures.url(named: "TLS/server.pem").path);
                ssl_certificate_key \(Fixtures.url(named: "TLS/server.key").path);
                root files;
                \(directives)
            }
        }
        """
    }

    private func accepts() -> Bool {
        guard let descriptor = try? LoopbackSocket.connect(to: port) else { return false }
        close(descriptor)
        return true
    }
}
